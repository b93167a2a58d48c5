"""The consistency audit: do raters of the same items agree, and what does arbitration make of their labels?"""
