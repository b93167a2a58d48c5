# Completion of auditfw for fish: auditfw completion fish | source
function __auditfw_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    $program completion query fish -- $words (commandline -ct) 2>/dev/null
end
complete -c auditfw -f -a '(__auditfw_complete)'
