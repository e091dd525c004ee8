"""The scripts that bring completion to a shell: each asks the installed program what may come next."""

BASH = """\
# fieldguide: completion for bash. Put this into ~/.bashrc:  source <(fieldguide completion bash)
_fieldguide() {
    local IFS=$'\\n'
    COMPREPLY=($(command "$1" completion words --shell bash --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}
complete -o default -F _fieldguide fieldguide
"""

ZSH = """\
#compdef fieldguide
# fieldguide: completion for zsh. Put this into ~/.zshrc:  source <(fieldguide completion zsh)
_fieldguide() {
    local -a found
    found=(${(f)"$(command $words[1] completion words --line "${(j: :)words[1,CURRENT]}" 2>/dev/null)"})
    if (( ${#found} )); then
        compadd -- ${found:#*=}
        compadd -S '' -- ${(M)found:#*=}
    else
        _files
    fi
}
compdef _fieldguide fieldguide
"""

FISH = """\
# fieldguide: completion for fish. Put this into ~/.config/fish/config.fish:  fieldguide completion fish | source
function __fieldguide_words
    command fieldguide completion words --line (commandline -cp | string collect) 2>/dev/null
end
complete -c fieldguide -a '(__fieldguide_words)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
