"""Tests of the kind that compilers have: random programs, run before and after."""
