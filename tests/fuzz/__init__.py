"""The fuzzer: random data in every form, mutated files, odd calls of every command, odd bodies for every address.

A kind is a Hypothesis strategy and a check. A check raises where something wrong was given back without a word, where
an exception is none of ours, or where a command breaks the rules for exit codes. `python -m tests.fuzz --seconds 600
--seed 0` (`make fuzz`) tries all kinds in turn and prints how many cases of each it tried; a case that it finds becomes
a test in the room that it belongs to.
"""
