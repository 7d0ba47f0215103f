"""`kctl config`: show and change kubeconfig files. Kubernetes: kubectl/pkg/cmd/config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.command import Command
from kctl.errors import KctlError, UsageError, raise_all
from kctl.flags import Flag, switch
from kctl.printers.choosing import OBJECT_FORMATS, output_flags

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kctl.configuring.files import ConfigFiles
    from kctl.flags import Given
    from kctl.session import Session

_EMBED = switch("embed-certs", "embed-certs for the entry in kubeconfig")


def _files(session: Session) -> ConfigFiles:
    from kctl.configuring.files import ConfigFiles

    return ConfigFiles(session)


def _unexpected(session: Session, given: Given) -> KctlError:
    """kubectl shows the help before it says so."""
    from kctl.help import help_text

    name = session.command.rpartition(" ")[2]
    session.write(help_text(next(one for one in COMMAND.commands if one.name == name), session.command))
    return KctlError(f"Unexpected args: [{' '.join(given.arguments)}]")


async def view(session: Session, given: Given) -> None:
    if given.arguments:
        raise UsageError(
            f"unexpected arguments: [{' '.join(given.arguments)}]",
            hint="See 'kctl config view -h' for help and examples",
        )
    if given.changed("merge") and not given.is_on("merge") and not given.text("kubeconfig"):
        raise KctlError("if merge==false a precise file must be specified")
    from kctl.configuring.viewing import document
    from kctl.printers.choosing import printer_for
    from kctl.printers.objects import go_indented

    printer = printer_for(given)
    shown = document(
        _files(session),
        minify=given.is_on("minify"),
        flatten=given.is_on("flatten"),
        raw=given.is_on("raw"),
        context=given.text("context"),
    )
    if given.text("output") == "json":
        session.write(go_indented(shown, sort=False) + "\n")
    else:
        printer.print(shown, session.write)


async def current_context(session: Session, given: Given) -> None:
    del given
    name = _files(session).current_context
    if not name:
        raise KctlError("current-context is not set")
    session.write(f"{name}\n")


async def get_contexts(session: Session, given: Given) -> None:
    from kctl.printers.table import print_rows
    from kctl.printers.tabwriter import TabWriter

    output = given.text("output")
    if output not in ("", "name"):
        raise KctlError(
            f"--output {output} is not available in kctl config get-contexts; resetting to default output format"
        )
    files = _files(session)
    contexts, current = files.entries("contexts"), files.current_context
    errors = [KctlError(f"context {name} not found") for name in given.arguments if name not in contexts]
    names = sorted({name for name in given.arguments or contexts if name in contexts})
    if output == "name":
        session.write("".join(f"{name}\n" for name in names))
    else:
        rows = [] if given.is_on("no-headers") else [("CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE")]
        for name in names:
            cells = [str(contexts[name].get(field) or "") for field in ("cluster", "user", "namespace")]
            rows.append(("*" if name == current else " ", name, *cells))  # type: ignore[arg-type]  # always three
        print_rows(rows, TabWriter(session.write))
    raise_all(errors)


async def get_clusters(session: Session, given: Given) -> None:
    del given
    session.write("".join(f"{name}\n" for name in ("NAME", *_files(session).entries("clusters"))))


async def get_users(session: Session, given: Given) -> None:
    del given
    session.write("".join(f"{name}\n" for name in ("NAME", *_files(session).entries("users"))))


async def use_context(session: Session, given: Given) -> None:
    if len(given.arguments) != 1:
        raise _unexpected(session, given)
    name = given.arguments[0]
    files = _files(session)
    if not name:
        raise KctlError("empty context names are not allowed")
    if name not in files.entries("contexts"):
        raise KctlError(f'no context exists with the name: "{name}"')
    files.set_current_context(name)
    session.write(f'Switched to context "{name}".\n')


async def rename_context(session: Session, given: Given) -> None:
    if len(given.arguments) != 2:
        raise _unexpected(session, given)
    old, new = given.arguments
    if not new:
        raise KctlError("You must specify a new non-empty context name")
    files = _files(session)
    contexts = files.entries("contexts")
    if old not in contexts:
        raise KctlError(f'cannot rename the context "{old}", it\'s not in {files.file}')
    if new in contexts:
        raise KctlError(f'cannot rename the context "{old}", the context "{new}" already exists in {files.file}')
    files.put("contexts", new, contexts[old])
    files.delete("contexts", old)
    if files.current_context == old:
        files.set_current_context(new)
    session.write(f'Context "{old}" renamed to "{new}".\n')


def _deleter(kind: str, what: str) -> Callable[[Session, Given], Awaitable[None]]:
    async def delete(session: Session, given: Given) -> None:
        files = _files(session)
        if len(given.arguments) != 1:
            if kind == "users":
                raise UsageError("user to delete is required", hint=f"See '{session.command} -h' for help and examples")
            _unexpected(session, given)
            return
        name = given.arguments[0]
        if name not in files.entries(kind):
            raise KctlError(f"cannot delete {what} {name}, not in {files.file}")
        if kind == "contexts" and files.current_context == name:
            session.say(
                'warning: this removed your active context, use "kctl config use-context" to select a different one\n'
            )
        files.delete(kind, name)
        session.write(f"deleted {what} {name} from {files.file}\n")

    return delete


async def set_cluster(session: Session, given: Given) -> None:
    from kctl.configuring.entries import cluster

    if len(given.arguments) != 1:
        raise _unexpected(session, given)
    name = given.arguments[0]
    if not name:
        raise KctlError("you must specify a non-empty cluster name")
    files = _files(session)
    files.put("clusters", name, cluster(given, files.entries("clusters").get(name, {})))
    session.write(f'Cluster "{name}" set.\n')


async def set_credentials(session: Session, given: Given) -> None:
    from kctl.configuring.entries import credentials

    if len(given.arguments) != 1:
        _unexpected(session, given)
        raise KctlError(f"unexpected args: [{' '.join(given.arguments)}]")
    name = given.arguments[0]
    if not name:
        raise KctlError("you must specify a non-empty user name")
    files = _files(session)
    files.put("users", name, credentials(given, files.entries("users").get(name, {})))
    session.write(f'User "{name}" set.\n')


async def set_context(session: Session, given: Given) -> None:
    from kctl.configuring.entries import context

    if len(given.arguments) > 1:
        raise _unexpected(session, given)
    name = given.arguments[0] if given.arguments else ""
    if not name and not given.is_on("current"):
        raise KctlError("you must specify a non-empty context name or --current")
    if name and given.is_on("current"):
        raise KctlError("you cannot specify both a context name and --current")
    files = _files(session)
    name = name or files.current_context
    if not name:
        raise KctlError("no current context is set")
    before = files.entries("contexts").get(name)
    files.put("contexts", name, context(given, before or {}))
    session.write(f'Context "{name}" {"created" if before is None else "modified"}.\n')


async def set_property(session: Session, given: Given) -> None:
    from kctl.configuring.properties import set_value

    if len(given.arguments) != 2:
        raise _unexpected(session, given)
    path, value = given.arguments
    set_value(_files(session), path, value, raw_bytes=given.is_on("set-raw-bytes"))
    session.write(f'Property "{path}" set.\n')


async def unset_property(session: Session, given: Given) -> None:
    from kctl.configuring.properties import unset

    if len(given.arguments) != 1:
        raise _unexpected(session, given)
    unset(_files(session), given.arguments[0])
    session.write(f'Property "{given.arguments[0]}" unset.\n')


def _command(name: str, usage: str, summary: str, run: Any, *flags: Flag, aliases: tuple[str, ...] = ()) -> Command:
    words = f"{name} {usage}".strip()
    return Command(name, words, summary, run=run, flags=flags, aliases=aliases, examples=_EXAMPLES.get(name, ""))


_EXAMPLES = {
    "view": """\
# Show merged kubeconfig settings
kctl config view

# Show merged kubeconfig settings, raw certificate data, and exposed secrets
kctl config view --raw

# Get the password for the e2e user
kctl config view -o jsonpath='{.users[?(@.name == "e2e")].user.password}'""",
    "set-cluster": """\
# Set only the server field on the e2e cluster entry without touching other values
kctl config set-cluster e2e --server=https://1.2.3.4

# Disable cert checking for the e2e cluster entry
kctl config set-cluster e2e --insecure-skip-tls-verify=true""",
    "set-credentials": """\
# Set only the "client-key" field on the "cluster-admin" entry, without touching other values
kctl config set-credentials cluster-admin --client-key=~/.kube/admin.key""",
    "set-context": """\
# Set the user field on the gce context entry without touching other values
kctl config set-context gce --user=cluster-admin

# Change the namespace of the current context
kctl config set-context --current --namespace=backend""",
    "set": """\
# Set the server field on the my-cluster cluster to https://1.2.3.4
kctl config set clusters.my-cluster.server https://1.2.3.4""",
    "unset": """\
# Unset namespace in foo context
kctl config unset contexts.foo.namespace""",
    "use-context": """\
# Use the context for the minikube cluster
kctl config use-context minikube""",
    "get-contexts": """\
# List all the contexts in your kubeconfig file
kctl config get-contexts""",
    "rename-context": """\
# Rename the context 'old-name' to 'new-name' in your kubeconfig file
kctl config rename-context old-name new-name""",
}

COMMAND = Command(
    "config",
    "config SUBCOMMAND",
    "Modify kubeconfig files",
    description="""\
Modify kubeconfig files using subcommands like "kctl config set current-context my-context".

The loading order follows these rules:

1. If the --kubeconfig flag is set, then only that file is loaded. The flag may only be set once and no merging takes
place.
2. If $KUBECONFIG environment variable is set, then it is used as a list of paths (normal path delimiting rules for your
system). These paths are merged. When a value is modified, it is modified in the file that defines the stanza. When a
value is created, it is created in the first file that exists. If no files in the chain exist, then it creates the last
file in the list.
3. Otherwise, ${HOME}/.kube/config is used and no merging takes place.""",
    commands=(
        _command("current-context", "", "Display the current-context", current_context),
        _command(
            "delete-cluster",
            "NAME",
            "Delete the specified cluster from the kubeconfig",
            _deleter("clusters", "cluster"),
        ),
        _command(
            "delete-context",
            "NAME",
            "Delete the specified context from the kubeconfig",
            _deleter("contexts", "context"),
        ),
        _command("delete-user", "NAME", "Delete the specified user from the kubeconfig", _deleter("users", "user")),
        _command("get-clusters", "", "Display clusters defined in the kubeconfig", get_clusters),
        _command(
            "get-contexts",
            "[(-o|--output=)name)]",
            "Describe one or many contexts",
            get_contexts,
            switch("no-headers", "When using the default output format, don't print headers."),
            Flag("output", usage="Output format. One of: (name).", short="o"),
        ),
        _command("get-users", "", "Display users defined in the kubeconfig", get_users),
        _command(
            "rename-context", "CONTEXT_NAME NEW_NAME", "Rename a context from the kubeconfig file", rename_context
        ),
        _command(
            "set",
            "PROPERTY_NAME PROPERTY_VALUE",
            "Set an individual value in a kubeconfig file",
            set_property,
            switch(
                "set-raw-bytes",
                "When writing a []byte PROPERTY_VALUE, write the given string directly without base64 decoding.",
            ),
        ),
        _command(
            "set-cluster",
            "NAME [--server=server] [--certificate-authority=path/to/certificate/authority] "
            "[--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
            "Set a cluster entry in kubeconfig",
            set_cluster,
            Flag("server", usage="server for the cluster entry in kubeconfig"),
            Flag("tls-server-name", usage="tls-server-name for the cluster entry in kubeconfig"),
            switch("insecure-skip-tls-verify", "insecure-skip-tls-verify for the cluster entry in kubeconfig"),
            Flag("certificate-authority", usage="Path to certificate-authority file for the cluster entry"),
            Flag("proxy-url", usage="proxy-url for the cluster entry in kubeconfig"),
            _EMBED,
        ),
        _command(
            "set-context",
            "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
            "Set a context entry in kubeconfig",
            set_context,
            switch("current", "Modify the current context"),
            Flag("cluster", usage="cluster for the context entry in kubeconfig"),
            Flag("user", usage="user for the context entry in kubeconfig"),
            Flag("namespace", usage="namespace for the context entry in kubeconfig", short="n"),
        ),
        _command(
            "set-credentials",
            "NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] "
            "[--token=bearer_token] [--username=basic_user] [--password=basic_password]",
            "Set a user entry in kubeconfig",
            set_credentials,
            Flag("client-certificate", usage="Path to client-certificate file for the user entry in kubeconfig"),
            Flag("client-key", usage="Path to client-key file for the user entry in kubeconfig"),
            Flag("token", usage="token for the user entry in kubeconfig"),
            Flag("username", usage="username for the user entry in kubeconfig"),
            Flag("password", usage="password for the user entry in kubeconfig"),
            Flag("auth-provider", usage="Auth provider for the user entry in kubeconfig"),
            Flag("auth-provider-arg", "slice", (), "'key=value' arguments for the auth provider"),
            Flag("exec-command", usage="Command for the exec credential plugin for the user entry in kubeconfig"),
            Flag("exec-api-version", usage="API version of the exec credential plugin for the user entry"),
            Flag("exec-interactive-mode", usage="InteractiveMode of the exec credentials plugin for the user entry"),
            switch("exec-provide-cluster-info", "ProvideClusterInfo of the exec credentials plugin for the user entry"),
            Flag("exec-arg", "slice", (), "New arguments for the exec credential plugin command for the user entry"),
            Flag("exec-env", "array", (), "'key=value' environment values for the exec credential plugin"),
            _EMBED,
        ),
        _command("unset", "PROPERTY_NAME", "Unset an individual value in a kubeconfig file", unset_property),
        _command(
            "use-context", "CONTEXT_NAME", "Set the current-context in a kubeconfig file", use_context, aliases=("use",)
        ),
        _command(
            "view",
            "",
            "Display merged kubeconfig settings or a specified kubeconfig file",
            view,
            *output_flags(OBJECT_FORMATS, default="yaml"),
            switch(
                "flatten",
                "Flatten the resulting kubeconfig file into self-contained output (useful for creating "
                "portable kubeconfig files)",
            ),
            switch("merge", "Merge the full hierarchy of kubeconfig files", default=True),
            switch("minify", "Remove all information not used by current-context from the output"),
            switch("raw", "Display raw byte data and sensitive data"),
        ),
    ),
)
