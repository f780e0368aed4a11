"""Printed reports: text as some tool printed it -> tables -> columns by a vocabulary -> rows by their role."""
