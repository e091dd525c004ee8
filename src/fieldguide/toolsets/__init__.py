"""The toolsets; each folder is whole: delete it and only its tools are gone."""
