#!/bin/sh
# tool: disk_usage
# description: Says how full the disk of a path is.
# side-effects: none
# parameter: path string required Where to look.
df -P -- "$TOOL_PATH"
