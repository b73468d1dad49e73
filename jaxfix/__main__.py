"""`python -m jaxfix`."""

from __future__ import annotations

from jaxfix._cli import main

if __name__ == "__main__":
    main()
