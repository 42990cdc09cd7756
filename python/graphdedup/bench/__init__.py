"""Measurements on the user's own GPU, each side by side with what it is compared to."""
