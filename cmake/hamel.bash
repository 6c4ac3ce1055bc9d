# completion for bash
_hamel() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  case $before in
    -o | --out) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --shard) COMPREPLY=($(compgen -W auto -- "$word")); return ;;
  esac
  if [ "${COMP_WORDS[1]}" = jupyter ] && [ "$COMP_CWORD" -gt 1 ]; then
    if [ "$COMP_CWORD" = 2 ]; then COMPREPLY=($(compgen -W "install uninstall kernel" -- "$word"))
    else COMPREPLY=($(compgen -W "--prefix --name --force" -- "$word") $(compgen -f -- "$word")); fi
  elif [ "${COMP_WORDS[1]}" = new ] && [ "$COMP_CWORD" = 2 ]; then
    COMPREPLY=($(compgen -W paper -- "$word"))
  elif [ "${COMP_WORDS[1]}" = reproduce ] && [ "$COMP_CWORD" -gt 1 ]; then
    COMPREPLY=($(compgen -W --html -- "$word") $(compgen -d -- "$word"))
  elif [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "report reproduce new verify merge manual luacats jupyter -e -l -i -E -W -v --version --help" -- "$word") $(compgen -f -X '!*.@(lua|ipynb)' -- "$word") $(compgen -d -- "$word"))
  else
    COMPREPLY=($(compgen -W "-o --shard --out" -- "$word") $(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _hamel hamel
