"""How `fieldguide install` and `fieldguide uninstall` find clients, change their settings and change them back."""
