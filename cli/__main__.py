"""Run the command line as `python -m meridia.cli`."""

from .main import main

if __name__ == "__main__":
    main()
