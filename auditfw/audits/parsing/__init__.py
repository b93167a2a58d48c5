"""The parsing audit: are stored correctness labels real, or an artefact of parsing and normalising?"""
