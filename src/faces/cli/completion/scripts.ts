import { nearest } from "../../../lib/text/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson } from "../terminal/output.ts";

/** Bash splits words at `=` and `:`, so the words are read from the line, and candidates lose what stands before. */
const bash = `# Completion of toolplane for bash: eval "$(toolplane completion bash)"
_toolplane() {
  local line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} full= value= words
  IFS=$' \\t\\n' read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  full=\${words[\${#words[@]}-1]}
  [[ $cur == [=:] ]] && cur=
  COMPREPLY=()
  while IFS= read -r value; do
    case $value in
      :files) type compopt &>/dev/null && compopt -o default ;;
      :nospace) type compopt &>/dev/null && compopt -o nospace ;;
      *)
        value=\${value%%$'\\t'*}
        COMPREPLY+=("\${value:\${#full}-\${#cur}}")
        ;;
    esac
  done < <(toolplane __complete "\${words[@]:1}" 2>/dev/null)
}
complete -F _toolplane toolplane`;

const zsh = `#compdef toolplane
# Completion of toolplane for zsh: eval "$(toolplane completion zsh)", after compinit
_toolplane() {
  local line files nospace
  local -a values
  for line in "\${(@f)$(toolplane __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) files=1 ;;
      :nospace) nospace=1 ;;
      *) values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  if (( $#values )); then
    if [[ -n $nospace ]]; then _describe toolplane values -S ''; else _describe toolplane values; fi
  fi
  [[ -n $files ]] && _files
}
compdef _toolplane toolplane`;

const fish = `# Completion of toolplane for fish: toolplane completion fish > ~/.config/fish/completions/toolplane.fish
function __toolplane
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -e words[1]
  for line in (toolplane __complete $words "$current" 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path "$current"
      case ':nospace'
      case '*'
        echo $line
    end
  end
end
complete -c toolplane -f -a '(__toolplane)'`;

/** Older versions lose an empty word on the way to a program. */
const powershell = `# Completion of toolplane for PowerShell: toolplane completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName toolplane -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq '') {
    $words += $(if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' })
  }
  & toolplane __complete @words 2>$null | Where-Object { $_ -and $_ -notmatch '^:' } | ForEach-Object {
    $value, $about = $_ -split [char]9, 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell };
export const shells: readonly string[] = Object.keys(scripts);

export function printScript(_: Cli, shell: string, { json }: GlobalOptions): void {
  const script = scripts[shell];
  if (script === undefined) {
    const [likeliest] = nearest(shell, shells, 1);
    const suggestion = likeliest === undefined ? "" : ` Did you mean '${likeliest}'?`;
    throw new PlaneError(
      "USAGE",
      `No completion for '${shell}'.${suggestion} Known: ${shells.join(", ")}.`,
    );
  }
  if (json) printJson({ shell, script });
  else print(script);
}
