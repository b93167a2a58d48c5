"""The alignment audit: does a simulated system do what it is meant to?"""
