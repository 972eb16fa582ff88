"""A fleet of the image service on ports of this machine, for Service/Scripts/bench-fleet: nodes, memcached servers,
S3-compatible storage (moto), HAProxy with Service/Deploy/haproxy.cfg, and the server of the sources."""
import asyncio
import collections
import contextlib
import hashlib
import http.client
import http.server
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
SERVICE = os.path.join(ROOT, "Service/.build/release/halcyon-serve")
PHOTOS = os.path.join(ROOT, "Tests/Support/Photos")
NAMES = ["astronaut.jpg", "coffee.jpg", "rocket.jpg", "chelsea.png"]


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    return path or sys.exit(f"{os.path.basename(sys.argv[0])}: {name} is not installed")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def end_with_signals():
    """Lets SIGTERM and SIGHUP end the program as Ctrl-C does, so that it ends its processes."""
    def end(number, _):
        raise KeyboardInterrupt(signal.Signals(number).name)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def tier(cache_status):
    """The tier that a result came from, by its field Cache-Status."""
    detail = re.search("detail=(\\w+)", cache_status)
    return detail.group(1) if detail else "memory" if "hit" in cache_status else "made"


class Sources:
    """The server of the sources, which counts the fetches of each. `/N/NAME` is the photo of that name."""

    def __init__(self):
        self.fetches, self.delay, self.files = collections.Counter(), 0, {}
        for name in NAMES:
            with open(os.path.join(PHOTOS, name), "rb") as file:
                self.files[name] = file.read()
        sources, lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with lock:
                    sources.fetches[self.path] += 1
                time.sleep(sources.delay)
                body = sources.files[self.path.rsplit("/", 1)[1]]
                self.send_response(200)
                self.send_header("Cache-Control", "max-age=100000")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 256

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def path(self, number, size, name=None):
        """The path of a result, square and in WebP."""
        source = self.url(number, name)
        return f"/_/rs:fill:{size}:{size}/plain/{source}@webp"

    @staticmethod
    def kind(path):
        """What the image of a path depends on: its size and its photo."""
        return re.fullmatch(r"/_/rs:fill:(\d+):.*/(.*)@webp", path).groups()

    def url(self, number, name=None):
        return f"http://127.0.0.1:{self.port}/{number}/{name or NAMES[number % len(NAMES)]}"


class Part:
    """A process of the fleet, which can be killed and started again at the same address."""

    def __init__(self, name, command, port, host="127.0.0.1", environment=None):
        self.name, self.command, self.address, self.environment = name, command, (host, port), environment
        self.process = None

    @property
    def port(self):
        return self.address[1]

    def start(self):
        # In a session of its own: a Ctrl-C ends this program, which ends its parts in order.
        self.process = subprocess.Popen(
            self.command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        for _ in range(1200):
            try:
                return socket.create_connection(self.address, 1).close()
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        sys.exit(f"{os.path.basename(sys.argv[0])}: {self.name} does not listen")

    def kill(self):
        if self.process and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(60)

    def cpu_seconds(self):
        """User and system time so far."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class HangingServer:
    """A server at the address of a part that accepts connections and never responds."""

    def __init__(self, port):
        self.port, self.listener, self.connections = port, None, []

    def start(self):
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                self.connections.append(listener.accept()[0])

    def stop(self):
        # Wakes the thread that accepts.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            connection.close()
        self.connections = []


class Fleet:
    """Three nodes and what they share. Ends its processes with the `with` block."""

    def __init__(self, folder, service=SERVICE, nodes=3, memory_size=4 << 20, disk_size=512 << 20):
        if not os.access(service, os.X_OK):
            sys.exit(f"{os.path.basename(sys.argv[0])}: {service} does not exist; build halcyon-serve in release")
        self.folder, self.service, self.node_count = folder, service, nodes
        self.memory_size, self.disk_size = memory_size, disk_size
        self.parts, self.nodes, self.memcached, self.balancer, self.storage = [], [], [], None, None
        self.port, self.stats = free_port(), free_port()
        os.makedirs(folder, exist_ok=True)

    def __enter__(self):
        try:
            for number in (1, 2):
                port = free_port()
                self.memcached.append(self.start(Part(f"memcached {number}", [
                    program("memcached"), "-u", "nobody", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-m", "64"],
                    port)))
            port = free_port()
            self.storage = self.start(Part("S3", [program("moto_server"), "-H", "127.0.0.1", "-p", str(port)], port))
            self.make_bucket()
            for _ in range(self.node_count):
                self.add_node()
            self.balance()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def start(self, part):
        # Before it starts: what interrupts its start ends it.
        self.parts.append(part)
        part.start()
        return part

    def end(self):
        # Another Ctrl-C would leave processes behind.
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for part in self.parts:
            part.kill()
        signal.signal(signal.SIGINT, handler)

    def make_bucket(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.storage.port, timeout=30)
        connection.request("PUT", "/results")
        if connection.getresponse().status != 200:
            sys.exit("fleet: the bucket cannot be made")
        connection.close()

    def cache(self, number):
        """The folder of the disk cache of a node."""
        return os.path.join(self.folder, f"cache{number}")

    def add_node(self):
        number, port = len(self.nodes) + 1, free_port()
        servers = ",".join(f"127.0.0.1:{server.port}" for server in self.memcached)
        self.nodes.append(self.start(Part(f"node {number}", [
            self.service, "--port", str(port), "--insecure", "--any-address", "--log-level", "critical",
            "--cache", self.cache(number), "--memory-size", str(self.memory_size), "--cache-size", str(self.disk_size),
            "--memcached", servers, "--s3-endpoint", f"http://127.0.0.1:{self.storage.port}", "--s3-path-style",
            "--s3-access-key", "key", "--s3-secret-key", "secret", "--s3-results", "results"], port)))

    def balance(self, hashes=True):
        """Starts HAProxy, or has a new process with all nodes take over from the old one."""
        with open(os.path.join(ROOT, "Service/Deploy/haproxy.cfg")) as file:
            text = file.read()
        lines = "".join(f"  server node{number} 127.0.0.1:{node.port}\n" for number, node in enumerate(self.nodes, 1))
        text, count = re.subn(r"(  server node\d .*\n)+", lines, text, count=1)
        if not hashes:
            text, count = re.subn(r"  balance hash .*\n  hash-type .*\n", "  balance roundrobin\n", text)
        if count != 1:
            sys.exit("fleet: Service/Deploy/haproxy.cfg has other lines than this program changes")
        path = os.path.join(self.folder, "haproxy.cfg")
        with open(path, "w") as file:
            file.write(text)
        old = self.balancer
        self.balancer = Part(
            "HAProxy", [program("haproxy"), "-db", "-f", path] + (["-sf", str(old.process.pid)] if old else []),
            self.port, environment=dict(
                os.environ, HALCYON_BIND=f"127.0.0.1:{self.port}", HALCYON_STATS_BIND=f"127.0.0.1:{self.stats}"))
        self.start(self.balancer)
        for _ in range(200):
            if f"pid = </b> {self.balancer.process.pid} " in self.get(self.stats, "/"):
                return
            time.sleep(0.05)
        sys.exit("fleet: HAProxy does not start")

    @staticmethod
    def get(port, path):
        """The body of a response; empty if there is none."""
        try:
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
                connection.request("GET", path)
                return connection.getresponse().read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return ""


Outcome = collections.namedtuple("Outcome", "path status tier seconds time digest")


class Load:
    """Clients of a server, each with a connection, and what they see."""

    def __init__(self, port, clients=16):
        self.port, self.clients = port, clients
        self.outcomes = []

    async def run(self, paths, rate=None):
        """Requests the paths with all clients, as fast as they get responses or at a rate a second. The time of a request
        begins when it is due, also if no client is free. Returns the outcomes; `outcomes` grows meanwhile."""
        self.outcomes, paths, start = [], iter(enumerate(paths)), time.perf_counter()

        async def client():
            connection = Connection(self.port)
            for index, path in paths:
                due = time.perf_counter()
                if rate:
                    due = start + index / rate
                    await asyncio.sleep(due - time.perf_counter())
                self.outcomes.append(await connection.get(path, due))
            connection.close()

        async with asyncio.TaskGroup() as group:
            for _ in range(self.clients):
                group.create_task(client())
        return self.outcomes

    @staticmethod
    def failures(outcomes):
        return [outcome for outcome in outcomes if outcome.status not in (200, 304)]

    @staticmethod
    def wrong(outcomes, images):
        """The outcomes whose body is not the image of their URL. `images` has the digests of results by their kind."""
        return [
            outcome for outcome in outcomes if outcome.status == 200 and outcome.digest != images[Sources.kind(outcome.path)]]


class Connection:
    """A connection for requests one after another, opened when it is needed."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def get(self, path, start):
        try:
            async with asyncio.timeout(60):
                status, headers, digest = await self.exchange(path)
        except (OSError, EOFError, ValueError):
            self.close()
            status, headers, digest = 0, {}, None
        now = time.perf_counter()
        return Outcome(path, status, tier(headers.get("cache-status", "")), now - start, now, digest)

    async def exchange(self, path):
        if not self.writer:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = b""
        if "304" not in first:
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return int(first.split(" ")[1]), headers, hashlib.sha256(body).digest()

    def close(self):
        if self.writer:
            self.writer.close()
        self.reader = self.writer = None
