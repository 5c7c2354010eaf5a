"""Does an agent reserve the right book, once, when the library's tools fail?"""
