"""The command line: parse, call, render. No rule of the product lives here."""
