//! Chromium through its own driver: the protocol of W3C WebDriver, and the commands of the
//! browser's developer tools.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};

/// One driver at a time: a browser takes both cores of a small machine.
static ALONE: Mutex<()> = Mutex::new(());

/// An open browser; it ends when it is dropped.
pub struct Browser {
    driver: Child,
    /// The driver ends where nobody listens to it.
    _said: BufReader<ChildStdout>,
    address: String,
    session: String,
    _alone: std::sync::MutexGuard<'static, ()>,
}

/// What a renderer in software says of the picture that it copies to the window: no page can do
/// anything about it.
const OF_THE_DRIVER: &str = "GL Driver Message (OpenGL, Performance";

/// What the page asked for and said since it was opened.
#[derive(Debug, Default)]
pub struct Noise {
    /// Warnings and errors of the console, with violations of the policy.
    pub console: Vec<String>,
    /// Addresses outside the page's own file.
    pub requests: Vec<String>,
}

impl Browser {
    /// Starts the driver and a browser that reaches no other machine.
    ///
    /// # Panics
    /// There is none, or it does not start.
    #[must_use]
    pub fn open() -> Self {
        let alone = ALONE
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let program = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let mut said = BufReader::new(driver.stdout.take().expect("its output"));
        // the first line names the port that was asked for, which is none
        let port = said
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                port.trim_end_matches('.').parse::<u16>().ok()
            });
        let address = format!("http://127.0.0.1:{}", port.expect("the driver's port"));
        let mut browser = Self {
            driver,
            _said: said,
            address,
            session: String::new(),
            _alone: alone,
        };
        let options = json!({
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
                "--enable-unsafe-swiftshader", "--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1"],
        });
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let session = browser.post("/session", &capabilities);
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        browser
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build();
        let agent = ureq::Agent::new_with_config(config);
        let answer = agent
            .post(format!("{}{path}", self.address))
            .send_json(body);
        let mut answer = answer.expect("an answer of the driver");
        let answer: Value = answer
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_json()
            .expect("JSON of the driver");
        let value = answer["value"].clone();
        assert!(
            value.get("error").is_none(),
            "{path}: {}: {}",
            value["error"],
            value["message"]
        );
        value
    }

    fn ask(&self, path: &str, body: &Value) -> Value {
        self.post(&format!("/session/{}{path}", self.session), body)
    }

    /// A command of the developer tools.
    pub fn tool(&self, command: &str, parameters: &Value) -> Value {
        self.ask(
            "/goog/cdp/execute",
            &json!({ "cmd": command, "params": parameters }),
        )
    }

    /// Opens a file, with what stands behind its name in the address.
    pub fn go(&self, file: &Path, behind: &str) {
        let file = file
            .canonicalize()
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.ask(
            "/url",
            &json!({ "url": format!("file://{}{behind}", file.display()) }),
        );
    }

    /// The value of a function's body in the page.
    pub fn eval(&self, body: &str) -> Value {
        self.ask("/execute/sync", &json!({ "script": body, "args": [] }))
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// It is not within twenty seconds.
    pub fn wait(&self, expression: &str) {
        for _ in 0..200 {
            if self.eval(&format!("return Boolean({expression});")) == Value::Bool(true) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("never true: {expression}");
    }

    /// Sets the size of the window [px] and the colours that the reader prefers.
    pub fn look(&self, width: u32, dark: bool) {
        let size =
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.tool("Emulation.setDeviceMetricsOverride", &size);
        // bars that take room would make every page narrower than its window
        self.tool("Emulation.setScrollbarsHidden", &json!({ "hidden": true }));
        let value = if dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.tool("Emulation.setEmulatedMedia", &media);
    }

    /// Presses keys one after the other; those without a letter as WebDriver numbers them.
    pub fn press(&self, keys: &[&str]) {
        let down_up = |key: &&str| {
            [
                json!({ "type": "keyDown", "value": key }),
                json!({ "type": "keyUp", "value": key }),
            ]
        };
        let actions: Vec<Value> = keys.iter().flat_map(down_up).collect();
        self.ask(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }),
        );
    }

    /// Presses a key while another one is down.
    pub fn chord(&self, held: &str, key: &str) {
        let [down, up] = ["keyDown", "keyUp"];
        let act = |kind: &str, key: &str| json!({ "type": kind, "value": key });
        let actions = [act(down, held), act(down, key), act(up, key), act(up, held)];
        self.ask(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }),
        );
    }

    /// Drags the pointer across the window, from one place to another [px].
    pub fn drag(&self, from: (i64, i64), to: (i64, i64)) {
        let at = |(x, y): (i64, i64)| json!({ "type": "pointerMove", "duration": 50, "x": x, "y": y, "origin": "viewport" });
        let middle = (i64::midpoint(from.0, to.0), i64::midpoint(from.1, to.1));
        let actions = json!([at(from), { "type": "pointerDown", "button": 0 }, at(middle), at(to), { "type": "pointerUp", "button": 0 }]);
        let source = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.ask("/actions", &json!({ "actions": [source] }));
    }

    /// What was said and asked for since the last time.
    pub fn noise(&self) -> Noise {
        let log = |kind: &str| self.ask("/se/log", &json!({ "type": kind }));
        let mut noise = Noise::default();
        for entry in log("browser").as_array().into_iter().flatten() {
            let message = entry["message"].to_string();
            let heard =
                ["WARNING", "SEVERE"].contains(&entry["level"].as_str().unwrap_or_default());
            if heard && !message.contains(OF_THE_DRIVER) {
                noise.console.push(message);
            }
        }
        for entry in log("performance").as_array().into_iter().flatten() {
            let text = entry["message"].as_str().unwrap_or_default();
            let message: Value = serde_json::from_str(text).unwrap_or_default();
            let message = &message["message"];
            if message["method"] == "Network.requestWillBeSent" {
                let url = message["params"]["request"]["url"]
                    .as_str()
                    .unwrap_or_default();
                if !["file:", "data:", "blob:"]
                    .iter()
                    .any(|own| url.starts_with(own))
                {
                    noise.requests.push(url.to_owned());
                }
            }
        }
        noise
    }

    /// The page as a printer gets it: the bytes of a PDF.
    ///
    /// # Panics
    /// What comes is no base 64.
    pub fn print(&self) -> Vec<u8> {
        decoded(&self.ask("/print", &json!({ "background": true })))
    }

    /// Keeps a picture of the window, or of the whole page, where `DELASSUS_SCREENSHOTS` names a
    /// folder.
    pub fn picture(&self, name: &str, whole: bool) {
        self.keep(
            name,
            &json!({ "captureBeyondViewport": whole, "format": "png" }),
        );
    }

    /// The same of a part of the page: its width, where it begins, and its height [px].
    pub fn picture_of(&self, name: &str, (width, top, height): (u32, u64, u64)) {
        let clip = json!({ "x": 0, "y": top, "width": width, "height": height, "scale": 1 });
        self.keep(
            name,
            &json!({ "captureBeyondViewport": true, "format": "png", "clip": clip }),
        );
    }

    fn keep(&self, name: &str, how: &Value) {
        let Ok(folder) = std::env::var("DELASSUS_SCREENSHOTS") else {
            return;
        };
        let shot = self.tool("Page.captureScreenshot", how);
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        std::fs::write(
            Path::new(&folder).join(format!("{name}.png")),
            decoded(&shot["data"]),
        )
        .expect("a picture");
    }
}

fn decoded(value: &Value) -> Vec<u8> {
    use base64::Engine as _;
    let text = value.as_str().expect("a text");
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .expect("base 64")
}

impl Drop for Browser {
    fn drop(&mut self) {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build();
        let agent = ureq::Agent::new_with_config(config);
        let _ = agent
            .delete(format!("{}/session/{}", self.address, self.session))
            .call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
