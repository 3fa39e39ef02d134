"""`python -m upheld`: the command line."""

from __future__ import annotations

from upheld.cli import main

if __name__ == "__main__":
    main()
