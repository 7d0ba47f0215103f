"""Keys and certificates that the server makes itself.

- `issuer`         keys and certificates, as small and as fast as TLS has them
- `self_signed`    an authority of the server's own, a certificate for it, and one for its administrator
- `signing_key`    the key that tokens are signed with

The composition root calls it, and the aggregator for its own client certificate. Whom TLS trusts is in
`localplane.tls`.
"""
