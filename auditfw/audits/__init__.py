"""The audits: which readings are compared with which reference."""
