"""Code against rules: what each check finds, where a rule holds, and what to say of it."""
