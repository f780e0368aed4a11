"""Printed reports: text printed by some tool -> tables -> columns by a vocabulary -> rows by their role."""
