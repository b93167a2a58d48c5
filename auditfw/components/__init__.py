"""Components by kind; the registry knows which modules hold them, and imports them when it is asked."""
