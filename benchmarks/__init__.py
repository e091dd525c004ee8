"""Programs that measure Fieldguide beside other servers, in one run on one machine."""
