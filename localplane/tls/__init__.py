"""Whom TLS trusts, by the rules and in the words of Go's crypto/tls and crypto/x509: those are what every cluster,
webhook and client around us is made for, and they are not OpenSSL's.

- `authorities`                      the certificates in a bundle, each of them a trust anchor
- `contexts`                         the one place where the contexts of clients are made
- `certificates`, `verification`     a chain from a certificate to an anchor; `name_constraints`, `hostnames`
- `client_certificates`              a server that asks for a certificate and judges it later
- `words`                            what Go says about a handshake that failed

The client, the server and what the server asks of others call it. It knows no API, and never opens a connection.
Importing `contexts` is quick: `cryptography` is imported when there is something to judge.
"""
