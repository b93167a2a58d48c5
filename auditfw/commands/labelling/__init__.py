"""Trials that people label: what is drawn from a run is written for a browser, a spreadsheet or Label Studio."""
