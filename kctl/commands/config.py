"""`kctl config`: show and change kubeconfig files. Kubernetes: kubectl/pkg/cmd/config."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from kctl import program
from kctl.changes.config import entries, properties
from kctl.changes.config import files as config_files
from kctl.changes.config import view as config_view
from kctl.changes.config.texts import DESCRIPTIONS, EXAMPLES
from kctl.command_line import help_pages
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError, raise_all
from kctl.printers import kyaml
from kctl.printers.choice import OBJECT_FORMATS, chosen_format, output_flags, printer_for
from kctl.printers.objects import go_indented
from kctl.printers.table import print_rows
from kctl.session.session import Session
from localplane.apimachinery.light_typing import Any, NoReturn

_EMBED = switch("embed-certs", "Put the content of certificate files into the kubeconfig, not their paths.")


def _files(session: Session) -> config_files.ConfigFiles:
    return config_files.ConfigFiles(session)


def _show_help(session: Session) -> None:
    """kubectl does so before it says what is wrong with the words."""
    name = session.command.rpartition(" ")[2]
    command = next(command for command in COMMAND.commands if command.name == name)
    session.write(help_pages.help_text(command, session.command))


def _refuse_arguments(session: Session, flags: FlagSet) -> NoReturn:
    _show_help(session)
    raise KctlError(f"Unexpected args: [{' '.join(flags.arguments)}]")


async def view(session: Session, flags: FlagSet) -> None:
    if flags.arguments:
        raise UsageError(
            f"unexpected arguments: [{' '.join(flags.arguments)}]",
            hint="See 'kctl config view -h' for help and examples",
        )
    output = chosen_format(flags)
    printer = printer_for(flags) if output else None
    explicit, merge = bool(flags.text("kubeconfig")), flags.is_on("merge")
    if not merge and not explicit:
        raise KctlError("if merge==false a precise file must be specified")
    files = config_files.ConfigFiles(session, must_exist=not merge)
    view = config_view.View(flags.is_on("minify"), flags.is_on("flatten"), flags.is_on("raw"), flags.text("context"))
    shown = config_view.document(files, view)
    if output.lower() == "json":
        session.write(go_indented(shown, sort=False) + "\n")
    elif output.lower() == "kyaml":
        session.write(kyaml.to_kyaml(shown, sort=False))
    elif printer is None:
        session.write("config/<unknown>\n")  # what kubectl's printer of names says of what has none
    else:
        printer.print(shown, session.write_object)


async def current_context(session: Session, flags: FlagSet) -> None:
    del flags
    name = _files(session).current_context
    if not name:
        raise KctlError("current-context is not set")
    session.write(f"{name}\n")


async def get_contexts(session: Session, flags: FlagSet) -> None:
    output = flags.text("output")
    if output not in ("", "name"):
        raise KctlError(
            f"--output {output} is not available in {program.name()} config get-contexts; resetting to default output "
            "format"
        )
    files = _files(session)
    contexts, current = files.entries("contexts"), files.current_context
    errors = [KctlError(f"context {name} not found") for name in flags.arguments if name not in contexts]
    names = sorted(name for name in flags.arguments or contexts if name in contexts)
    if output == "name":
        session.write("".join(f"{name}\n" for name in names))
    else:
        rows = [] if flags.is_on("no-headers") else [("CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE")]
        for name in names:
            cells = [str(contexts[name].get(field) or "") for field in ("cluster", "user", "namespace")]
            rows.append(("*" if name == current else " ", name, *cells))  # type: ignore[arg-type]  # always three
        print_rows(rows, session.columns())
    raise_all(errors)


async def get_clusters(session: Session, flags: FlagSet) -> None:
    del flags
    session.write("".join(f"{name}\n" for name in ("NAME", *_files(session).entries("clusters"))))


async def get_users(session: Session, flags: FlagSet) -> None:
    del flags
    names = list(_files(session).entries("users"))
    session.write("".join(f"{name}\n" for name in ("NAME", *names)))


async def use_context(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 1:
        _refuse_arguments(session, flags)
    name = flags.arguments[0]
    files = _files(session)
    if not name:
        raise KctlError("empty context names are not allowed")
    if name not in files.entries("contexts"):
        raise KctlError(f'no context exists with the name: "{name}"')
    files.set_current_context(name)
    session.write(f'Switched to context "{name}".\n')


async def rename_context(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 2:
        _refuse_arguments(session, flags)
    old, new = flags.arguments
    if not new:
        raise KctlError("You must specify a new non-empty context name")
    files = _files(session)
    contexts = files.entries("contexts")
    if old not in contexts:
        raise KctlError(f'cannot rename the context "{old}", it\'s not in {files.file}')
    if new in contexts:
        raise KctlError(f'cannot rename the context "{old}", the context "{new}" already exists in {files.file}')
    files.rename("contexts", old, new)
    if files.current_context == old:
        files.set_current_context(new)
    session.write(f'Context "{old}" renamed to "{new}".\n')


def _deleter(kind: str, what: str) -> Callable[[Session, FlagSet], Awaitable[None]]:
    async def delete(session: Session, flags: FlagSet) -> None:
        files = _files(session)
        if len(flags.arguments) != 1:
            if kind == "users":
                raise UsageError("user to delete is required", hint=f"See '{session.command} -h' for help and examples")
            _show_help(session)
            return
        name = flags.arguments[0]
        if name not in files.entries(kind):
            raise KctlError(f"cannot delete {what} {name}, not in {files.file}")
        if kind == "contexts" and files.current_context == name:
            session.say(
                f'warning: this removed your active context, use "{program.name()} config use-context" to select a '
                "different one\n"
            )
        files.delete(kind, name)
        session.write(f"deleted {what} {name} from {files.file}\n")

    return delete


async def set_cluster(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 1:
        _refuse_arguments(session, flags)
    name = flags.arguments[0]
    if not name:
        raise KctlError("you must specify a non-empty cluster name")
    files = _files(session)
    files.put("clusters", name, entries.cluster(flags, files.entries("clusters").get(name, {})))
    session.write(f'Cluster "{name}" set.\n')


async def set_credentials(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 1:
        _show_help(session)
        raise KctlError(f"unexpected args: [{' '.join(flags.arguments)}]")
    for flag in ("auth-provider-arg", "exec-env"):
        try:
            entries.pairs(flags.texts(flag), flag)
        except KctlError:
            _show_help(session)
            raise
    name = flags.arguments[0]
    if not name:
        raise KctlError("you must specify a non-empty user name")
    files = _files(session)
    files.put("users", name, entries.credentials(flags, files.entries("users").get(name, {})))
    session.write(f'User "{name}" set.\n')


async def set_context(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        _refuse_arguments(session, flags)
    name = flags.arguments[0] if flags.arguments else ""
    if not name and not flags.is_on("current"):
        raise KctlError("you must specify a non-empty context name or --current")
    if name and flags.is_on("current"):
        raise KctlError("you cannot specify both a context name and --current")
    files = _files(session)
    name = name or files.current_context
    if not name:
        raise KctlError("no current context is set")
    before = files.entries("contexts").get(name)
    files.put("contexts", name, entries.context(flags, before or {}))
    session.write(f'Context "{name}" {"created" if before is None else "modified"}.\n')


async def set_property(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 2:
        _refuse_arguments(session, flags)
    path, value = flags.arguments
    properties.set_value(_files(session), path, value, raw_bytes=flags.is_on("set-raw-bytes"))
    session.write(f'Property "{path}" set.\n')


async def unset_property(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 1:
        _refuse_arguments(session, flags)
    properties.unset(_files(session), flags.arguments[0])
    session.write(f'Property "{flags.arguments[0]}" unset.\n')


def _command(name: str, usage: str, summary: str, run: Any, *flags: Flag, aliases: tuple[str, ...] = ()) -> Command:
    return Command(
        name,
        f"{name} {usage}".strip(),
        summary,
        run=run,
        flags=flags,
        description=DESCRIPTIONS.get(name, ""),
        aliases=aliases,
        examples=EXAMPLES[name],
    )


COMMAND = Command(
    "config",
    "config SUBCOMMAND",
    "Modify kubeconfig files",
    description="""\
Modify kubeconfig files, and see what is in them: which clusters there are, who you are there, and which one is meant.

Which file it is:

1. The one of --kubeconfig, and no other.
2. The files of $KUBECONFIG, merged: of two entries with the same name the first counts. An entry is changed in the file
it comes from; a new one goes into the first file that exists, or else the last.
3. ~/.kube/config.

A change is made under a lock, all or nothing, and the file is readable by its owner alone afterwards. What kctl does
not know in it stays there.""",
    examples="""\
# What is configured, and which context is current?
kctl config view
kctl config get-contexts

# Another cluster, another namespace
kctl config use-context staging
kctl config set-context --current --namespace=backend""",
    commands=(
        _command("current-context", "", "Show which context is current", current_context),
        _command(
            "delete-cluster",
            "NAME",
            "Take a cluster out of the kubeconfig",
            _deleter("clusters", "cluster"),
        ),
        _command(
            "delete-context",
            "NAME",
            "Take a context out of the kubeconfig",
            _deleter("contexts", "context"),
        ),
        _command("delete-user", "NAME", "Take a user out of the kubeconfig", _deleter("users", "user")),
        _command("get-clusters", "", "List the clusters", get_clusters),
        _command(
            "get-contexts",
            "[(-o|--output=)name)]",
            "List the contexts, or some of them",
            get_contexts,
            switch("no-headers", "Leave out the line with the names of the columns."),
            Flag("output", usage="name, for their names alone.", short="o"),
        ),
        _command("get-users", "", "List the users", get_users),
        _command("rename-context", "CONTEXT_NAME NEW_NAME", "Give a context another name", rename_context),
        _command(
            "set",
            "PROPERTY_NAME PROPERTY_VALUE",
            "Set one value by its path",
            set_property,
            switch(
                "set-raw-bytes",
                "Take a value that is bytes as it is, not as base64.",
            ),
        ),
        _command(
            "set-cluster",
            "NAME [--server=server] [--certificate-authority=path/to/certificate/authority] "
            "[--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
            "Add or change a cluster",
            set_cluster,
            Flag("server", usage="Its URL."),
            Flag(
                "tls-server-name",
                usage="Whose name its certificate has, if not the host's. A new --server without it takes it away.",
            ),
            switch("insecure-skip-tls-verify", "Don't look at its certificate. Who does not say this says no."),
            Flag("certificate-authority", usage="File with the certificates of those who may vouch for it."),
            Flag("proxy-url", usage="Reach it through this proxy."),
            _EMBED,
        ),
        _command(
            "set-context",
            "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
            "Add or change a context",
            set_context,
            switch("current", "Change the current context."),
            Flag("cluster", usage="Which cluster."),
            Flag("user", usage="Which user."),
            Flag("namespace", usage="Which namespace.", short="n"),
        ),
        _command(
            "set-credentials",
            "NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] "
            "[--token=bearer_token] [--username=basic_user] [--password=basic_password]",
            "Add or change a user",
            set_credentials,
            Flag("client-certificate", usage="File with the certificate that the user shows."),
            Flag("client-key", usage="File with the key to it."),
            Flag("token", usage="Bearer token."),
            Flag("username", usage="Name, with --password."),
            Flag("password", usage="Password, with --username."),
            Flag("auth-provider", usage="Name of an auth provider: oidc."),
            Flag("auth-provider-arg", "slice", (), "key=value for it, or key- to take one away. Repeatable."),
            Flag(
                "exec-command",
                usage="Credential plugin: the program that knows who the user is. Its arguments begin anew.",
            ),
            Flag("exec-api-version", usage="Which version of the protocol it speaks: client.authentication.k8s.io/v1."),
            Flag("exec-interactive-mode", usage="Whether it may ask questions: Never, IfAvailable or Always."),
            switch("exec-provide-cluster-info", "Tell it about the cluster."),
            Flag("exec-arg", "slice", (), "Its arguments, all of them. Repeatable."),
            Flag("exec-env", "array", (), "key=value in its environment, or key- to take one away. Repeatable."),
            _EMBED,
        ),
        _command("unset", "PROPERTY_NAME", "Take one value out by its path", unset_property),
        _command("use-context", "CONTEXT_NAME", "Make a context the current one", use_context, aliases=("use",)),
        _command(
            "view",
            "",
            "Show the kubeconfig that is in use",
            view,
            *output_flags(OBJECT_FORMATS, default="yaml"),
            switch(
                "flatten",
                "Put in what is only referred to: certificates and keys from files. Shows secrets.",
            ),
            switch("merge", "All files of $KUBECONFIG as one.", default=True),
            switch("minify", "Only the current context, or the one of --context, and what it needs."),
            switch("raw", "With secrets and certificates."),
        ),
    ),
)
