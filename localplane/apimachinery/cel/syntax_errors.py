"""stub"""
from .source import Issue
from .tokens import Token
def syntax_issues(tokens: list[Token]) -> list[Issue]:
    return []
