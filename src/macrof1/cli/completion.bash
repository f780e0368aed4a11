_mf1() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='@commands@'
  else
    case "${COMP_WORDS[1]}:$before" in
@values@
    *) case "$current" in -*) case "${COMP_WORDS[1]}" in
@options@
    esac ;; esac ;;
    esac
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _mf1 mf1
