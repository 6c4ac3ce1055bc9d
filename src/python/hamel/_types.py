"""python -m hamel._types FILE writes the types of the package for editors and type checkers, as `hamel luacats -o hamel.pyi` does."""
import sys

import hamel

if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(hamel.lua("return require('hamel.book.stubs').text()"))
