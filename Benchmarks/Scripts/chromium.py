"""Headless Chromium, controlled over two pipes (Chrome DevTools Protocol)."""
import json
import os
import shutil
import subprocess
import sys
import time


class Browser:
    """One page of a browser that this program starts. BROWSER names another Chromium.

    Events of the domains of the protocol are kept in `events`.
    """

    def __init__(self, profile, domains=("Page", "Runtime")):
        program = os.environ.get("BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            self.fail("Chromium was not found. Install the package chromium, or set BROWSER.")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        # The protocol uses the descriptors 3 and 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', program, "--headless=new",
             "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}",
             "--disable-extensions", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--window-size=1280,900", "about:blank"],
            pass_fds=[to_browser, from_browser], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.count = 0
        self.buffer = b""
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in domains:
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    @staticmethod
    def fail(text):
        sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")

    def message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.input, 1 << 20)
            if not piece:
                self.fail("the browser ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == request["id"]:
                if "error" in message:
                    self.fail(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            self.fail(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, what, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                self.fail(f"{what}: not after {seconds} seconds. {self.value('document.body.innerText')}")
            time.sleep(0.05)
        print(f"ok: {what}")
