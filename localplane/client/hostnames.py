"""What Go says about a certificate that is another host's. Kubernetes' users know it from kubectl: crypto/x509."""

from __future__ import annotations

from ipaddress import ip_address


def mismatch(certificate: bytes, name: str) -> str:
    """`certificate` is what the server has shown, in DER."""
    from cryptography import x509

    try:
        names = x509.load_der_x509_certificate(certificate).extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        )
    except x509.ExtensionNotFound:
        return "x509: certificate relies on legacy Common Name field, use SANs instead"
    except ValueError:
        return f"x509: certificate is not valid for {name}"
    addresses = [str(one) for one in names.value.get_values_for_type(x509.IPAddress)]
    valid = addresses if _is_address(name) else names.value.get_values_for_type(x509.DNSName)
    if not valid and _is_address(name):
        return f"x509: cannot validate certificate for {name} because it doesn't contain any IP SANs"
    if not valid:
        return f"x509: certificate is not valid for any names, but wanted to match {name}"
    return f"x509: certificate is valid for {', '.join(valid)}, not {name}"


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
