# Completion of auditfw for bash: eval "$(auditfw completion bash)"
_auditfw() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(COMP_LINE="$COMP_LINE" COMP_POINT="$COMP_POINT" COMP_WORDBREAKS="$COMP_WORDBREAKS" \
        "${COMP_WORDS[0]/#\~/$HOME}" completion query bash 2>/dev/null)
}
complete -o nospace -F _auditfw auditfw
