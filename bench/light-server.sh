#!/bin/sh
# An MCP server with one tool, `echo`, that starts in two milliseconds where a Node server takes a hundred.
# Usage: light-server.sh MARK [plain|helper|stubborn] [seconds before its first answer]
# MARK is not read; it is there to be found in the list of processes.
kind=${2:-plain}
delay=${3:-0}
helper=

case $kind in
  # A process of its own that does not end when the server is killed.
  helper) sleep 900 </dev/null >/dev/null 2>&1 & helper=$! ;;
  # Ignores SIGTERM and the end of its input.
  stubborn) trap '' TERM HUP INT ;;
esac

answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }

while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      if [ "$delay" != 0 ]; then sleep "$delay"; fi
      answer '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"light","version":"1.0.0"}}' ;;
    *'"method":"ping"'*) answer '"result":{}' ;;
    *'"method":"tools/list"'*)
      answer '"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"message":{"type":"string"}}}}]}' ;;
    *'"method":"tools/call"'*)
      message=${line#*'"message":"'}
      answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"${message%%\"*}\"}]}" ;;
    *) answer '"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
done

# Waited for, or it would stay a zombie and count as alive.
if [ -n "$helper" ]; then kill "$helper"; wait "$helper"; fi
while [ "$kind" = stubborn ]; do sleep 1; done
