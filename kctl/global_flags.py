"""The flags that every verb has: which cluster, who, and how much to tell. Accepted before and after the verb.

Kubernetes: cli-runtime/pkg/genericclioptions/config_flags.go.
"""

from __future__ import annotations

from kctl.flags import Flag, switch

GLOBAL_FLAGS = (
    Flag(
        "as",
        usage="Username to impersonate for the operation. User could be a regular user or a service account "
        "in a namespace.",
    ),
    Flag(
        "as-group",
        "array",
        (),
        "Group to impersonate for the operation, this flag can be repeated to specify multiple groups.",
    ),
    Flag("as-uid", usage="UID to impersonate for the operation."),
    Flag(
        "as-user-extra",
        "array",
        (),
        "User extras to impersonate for the operation, this flag can be repeated to "
        "specify multiple values for the same key.",
    ),
    Flag("cache-dir", usage="Default cache directory"),
    Flag("certificate-authority", usage="Path to a cert file for the certificate authority"),
    Flag("client-certificate", usage="Path to a client certificate file for TLS"),
    Flag("client-key", usage="Path to a client key file for TLS"),
    Flag("cluster", usage="The name of the kubeconfig cluster to use"),
    Flag("context", usage="The name of the kubeconfig context to use"),
    switch("disable-compression", "If true, opt-out of response compression for all requests to the server"),
    switch(
        "insecure-skip-tls-verify",
        "If true, the server's certificate will not be checked for validity. This will "
        "make your HTTPS connections insecure",
    ),
    Flag("kubeconfig", usage="Path to the kubeconfig file to use for CLI requests."),
    switch("match-server-version", "Require server version to match client version"),
    Flag("namespace", usage="If present, the namespace scope for this CLI request", short="n"),
    Flag("password", usage="Password for basic authentication to the API server"),
    Flag("proxy-url", usage="Proxy URL to use for requests to the API server"),
    Flag(
        "request-timeout",
        "text",
        "0",
        "The length of time to wait before giving up on a single server request. "
        "Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't "
        "timeout requests.",
    ),
    Flag("server", usage="The address and port of the Kubernetes API server", short="s"),
    Flag(
        "tls-server-name",
        usage="Server name to use for server certificate validation. If it is not provided, the "
        "hostname used to contact the server is used",
    ),
    Flag("token", usage="Bearer token for authentication to the API server"),
    Flag("user", usage="The name of the kubeconfig user to use"),
    Flag("username", usage="Username for basic authentication to the API server"),
    Flag("v", "int32", 0, "number for the log level verbosity", "v"),
    switch(
        "warnings-as-errors", "Treat warnings received from the server as errors and exit with a non-zero exit code"
    ),
)

HELP_FLAG = switch("help", "", short="h", hidden=True)
