"""One module a group of commands, imported when the command is asked for."""
