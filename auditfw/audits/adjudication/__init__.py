"""The adjudication audit: what people say of a part of a run's trials, and what that says about all of them."""
