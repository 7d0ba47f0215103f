"""Lines of Go's sources that log lines and messages name: those of Kubernetes 1.37. The next release is a diff of this.

Log lines show only the file's name, and --vmodule chooses by it.
"""

# Where a scheme was made, which Go tells with every kind that is not in it.
CLIENT_SCHEME = "k8s.io/kubectl/pkg/scheme/scheme.go:28"
EXEC_PLUGIN_SCHEME = "k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go:64"
KUBECONFIG_SCHEME = "k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50"
OPTIONS_SCHEME = "pkg/apis/meta/internalversion/scheme/register.go:27"
SERVER_SCHEME = "pkg/api/legacyscheme/scheme.go:30"

# Lines of kubectl's log.
ALIAS_RUN = "cmd.go:371"
CONFIG_LOADED = "loader.go:408"
CONFIG_WARNING = "loader.go:250"
COPYING_STDERR = "v2.go:168"
COPYING_STDOUT = "v2.go:151"
FORWARDING = "portforward.go:549"
KUBERC_DECODED = "marshal.go:70"
PROXY_FILTER_OFF = "proxy.go:177"
PROXY_FILTER_RELAXED = "proxy.go:182"
PROXY_NO_DIRECTORY = "proxy.go:205"
PROXY_NO_STAT = "proxy.go:203"
PROXY_PATH = "proxy.go:172"
PROXY_PATTERN = "proxy_server.go:83"
PROXY_REFUSED = "proxy_server.go:146"
PRUNING_EVERYTHING = "prune.go:71"
PRUNING_FAILED = "diff.go:760"
REQUEST = "round_trippers.go:527"
REQUEST_BODY = "helper.go:105"
RESPONSE = "round_trippers.go:632"
STANDARD_LOG = "log.go:244"
STREAM_ENDED = "streamwatcher.go:123"
UNSORTABLE_OBJECT = "sorter.go:329"
UNSORTABLE_ROW = "sorter.go:375"
