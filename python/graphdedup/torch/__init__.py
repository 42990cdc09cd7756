"""The torch side of graphdedup. Imported only once torch is, and never by ``import graphdedup``."""
