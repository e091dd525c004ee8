"""Who asks: tokens through the front door, as clients and as attackers show them."""
