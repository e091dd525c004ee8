"""`guide_search`: one ranked list across everything that the project knows, its scores calibrated on labelled data."""
