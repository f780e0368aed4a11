"""The fuzzer: random data in every form, mutated files, odd calls of every command, odd bodies for every route.

A kind is a Hypothesis strategy and a check. A check raises an error if a wrong result was returned silently, if an
exception is not one of ours, or if a command breaks the rules for exit codes. `python -m tests.fuzz --seconds 600
--seed 0` (`make fuzz`) tries all kinds in turn and prints how many cases of each it tried; each failure found becomes a
test in the package it belongs to.
"""
