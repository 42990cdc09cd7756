"""Sharing without changes to the program: graphdedup's graph class in the place of torch's."""
