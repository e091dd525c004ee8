"""Small mistakes, put into a copy of the code one at a time: each must be noticed by a test."""
