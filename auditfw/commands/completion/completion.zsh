#compdef auditfw
# Completion of auditfw for zsh: eval "$(auditfw completion zsh)", behind compinit
_auditfw() {
    local line
    local -a open finished
    while IFS= read -r line; do
        if [[ $line == *' ' ]]; then
            finished+=("${line% }")
        else
            open+=("$line")
        fi
    done < <("${(Q)words[1]/#\~/$HOME}" completion query zsh -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
    (( $#finished )) && compadd -U -- "${finished[@]}"
    (( $#open )) && compadd -U -S '' -- "${open[@]}"
    return 0
}
if [ "$funcstack[1]" = "_auditfw" ]; then
    _auditfw "$@"
else
    compdef _auditfw auditfw
fi
