"""What those who run a server look at and rely on: is it ready, how busy is it, how does it end."""
