"""Components of the kind form."""
