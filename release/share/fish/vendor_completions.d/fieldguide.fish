function __fieldguide_words
    command fieldguide completion words --line (commandline -cp | string collect) 2>/dev/null
end
complete -c fieldguide -a '(__fieldguide_words)'
