"""The flags that every verb has: which cluster, who, and how much to tell. Accepted before and after the verb.

Kubernetes: cli-runtime/pkg/genericclioptions/config_flags.go, kubectl/pkg/cmd/profiling.go; klog.
"""

from __future__ import annotations

from kctl.command_line.flags import Flag, switch
from kctl.command_line.verbs import WITHOUT_KUBERC

GLOBAL_FLAGS = (
    Flag("as", usage="Act as this user, or as a service account: system:serviceaccount:NAMESPACE:NAME."),
    Flag("as-group", "array", (), "Act as a member of this group, too. Repeatable."),
    Flag("as-uid", usage="Act as the user with this UID."),
    Flag("as-user-extra", "array", (), "key=value that is known of the user you act as. Repeatable."),
    Flag("cache-dir", usage="Where to keep what the server can do. Default: $KUBECACHEDIR or ~/.kube/cache."),
    Flag("certificate-authority", usage="File with the certificates of those who may vouch for the server."),
    Flag("client-certificate", usage="File with the certificate that you show."),
    Flag("client-key", usage="File with the key to it."),
    Flag("cluster", usage="Which cluster of the kubeconfig."),
    Flag(
        "color",
        "text",
        "auto",
        "Colours: auto (on a terminal, unless NO_COLOR is set), always or never. KCTL_THEME: dark or light.",
    ),
    Flag("context", usage="Which context of the kubeconfig."),
    switch("disable-compression", "Ask the server not to compress what it sends."),
    Flag(
        "error-format",
        "text",
        "text",
        "How errors are told: text, as kubectl does, or json: one document on stderr, with exit codes that tell "
        "errors apart (see 'kctl options').",
    ),
    switch("insecure-skip-tls-verify", "Talk to whoever answers: the server's certificate is not looked at."),
    Flag("kubeconfig", usage="This kubeconfig file, and no other."),
    *(() if WITHOUT_KUBERC else (Flag("kuberc", usage="This kuberc file, not $KUBERC or ~/.kube/kuberc."),)),
    Flag("log-flush-frequency", "go-duration", 5.0, "No line of the log waits longer than this: none waits at all."),
    switch("match-server-version", "Give up if the server has another version than this program."),
    Flag("namespace", usage="In which namespace.", short="n"),
    switch("pager", "Show long output in a pager: $KCTL_PAGER, $PAGER or 'less -RFX'. KCTL_PAGER asks for it always."),
    Flag("password", usage="Password of --username."),
    Flag("profile", "text", "none", "Measure this program: none, cpu (for Python's pstats) or heap (for tracemalloc)."),
    Flag("profile-output", "text", "profile.pprof", "File for what --profile has measured."),
    Flag("proxy-url", usage="Reach the server through this proxy."),
    Flag("request-timeout", "text", "0", "Give up on a request after so long: 10s, 2m. 0 is never."),
    Flag("server", usage="The server's URL.", short="s"),
    Flag("tls-server-name", usage="Whose name the server's certificate has to have, if not the host's."),
    Flag("token", usage="Bearer token that says who you are."),
    Flag("user", usage="Which user of the kubeconfig."),
    Flag("username", usage="Who you are, with --password."),
    Flag("v", "int32", 0, "How much to log: 6 requests, 7 headers, 8 bodies, 9 as lines for curl.", "v"),
    Flag("vmodule", "levels", (), "How much to log by source file: round_trippers=8,loader=6."),
    switch("warnings-as-errors", "Fail if the server has warned."),
)

HELP_FLAG = switch("help", "", short="h", hidden=True)
