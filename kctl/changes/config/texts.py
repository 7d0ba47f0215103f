"""What `kctl config SUBCOMMAND --help` says."""

from __future__ import annotations

DESCRIPTIONS = {
    "view": """\
Show the kubeconfig that is in use: all of its files merged, with secrets and certificates hidden. --raw shows them.""",
    "set": """\
Set one value by its path: clusters.NAME.server, users.NAME.token, contexts.NAME.namespace, current-context. Names may
have dots in them. Values that are bytes (certificate-authority-data and the like) are given in base64.""",
    "unset": "Take one value out by its path, a whole entry (contexts.NAME), or all entries of a sort (contexts).",
    "set-cluster": "Add a cluster, or change what you name of one that is there.",
    "set-credentials": """\
Add a user, or change what you name of one that is there. A user has a token, a name and password, a client certificate,
or a credential plugin that is run to get one of these; a token takes the place of a password, and a password that of a
token.""",
    "set-context": """\
Add a context, or change what you name of one that is there, or of the current one. A context is a cluster, a user and a
namespace under one name.""",
    "rename-context": "Give a context another name. If it is the current one, it stays that.",
    "delete-context": "Take a context out of the kubeconfig. Its cluster and user stay.",
}
EXAMPLES = {
    "view": """\
# What is configured?
kctl config view

# A file for somebody else: one context, nothing outside of it
kctl config view --minify --flatten > for-ci.kubeconfig

# The token of a user
kctl config view --raw -o jsonpath='{.users[?(@.name == "ci")].user.token}'

# What two files make together
KUBECONFIG=~/.kube/config:./team.kubeconfig kctl config view""",
    "set-cluster": """\
# A new one, with its authority inside the file
kctl config set-cluster prod --server=https://prod.example.com --certificate-authority=ca.crt --embed-certs

# Another address for one that is there
kctl config set-cluster prod --server=https://10.0.0.1:6443 --tls-server-name=prod.example.com

# Through a proxy
kctl config set-cluster prod --proxy-url=http://proxy:3128""",
    "set-credentials": """\
# A token
kctl config set-credentials ci --token="$TOKEN"

# A client certificate, inside the file
kctl config set-credentials me --client-certificate=me.crt --client-key=me.key --embed-certs

# A credential plugin with arguments and variables
kctl config set-credentials sso --exec-command=oidc-login --exec-api-version=client.authentication.k8s.io/v1 \\
    --exec-arg=get-token --exec-env=CLIENT=kctl --exec-interactive-mode=IfAvailable

# Take a variable away again
kctl config set-credentials sso --exec-env=CLIENT-""",
    "set-context": """\
# A cluster, a user and a namespace under one name
kctl config set-context staging --cluster=prod --user=ci --namespace=staging

# Work in another namespace from now on
kctl config set-context --current --namespace=backend""",
    "set": """\
# A server's address
kctl config set clusters.prod.server https://10.0.0.1:6443

# A certificate that is at hand as it is, not in base64
kctl config set users.me.client-certificate-data "$(cat me.crt)" --set-raw-bytes

# Which context is current, even if there is none of that name yet
kctl config set current-context staging""",
    "unset": """\
# No namespace of its own
kctl config unset contexts.staging.namespace

# No current context
kctl config unset current-context

# A whole user
kctl config unset users.ci""",
    "use-context": """\
# Work with another cluster
kctl config use-context staging

# The same, shorter
kctl ctx staging""",
    "get-contexts": """\
# Which contexts are there, and which is current?
kctl config get-contexts

# One of them
kctl config get-contexts staging

# Their names, for a script
kctl config get-contexts -o name""",
    "rename-context": """\
# A name that is easier to type
kctl config rename-context arn:aws:eks:eu-west-1:123456789012:cluster/prod prod""",
    "current-context": """\
# Where am I?
kctl config current-context""",
    "delete-cluster": """\
# It is gone for good
kctl config delete-cluster old""",
    "delete-context": """\
# Forget a context
kctl config delete-context old""",
    "delete-user": """\
# Forget a user and its secrets
kctl config delete-user old""",
    "get-clusters": """\
# Which clusters are there?
kctl config get-clusters""",
    "get-users": """\
# Which users are there?
kctl config get-users""",
}
