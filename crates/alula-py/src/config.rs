//! `_alula.Config`: the options as Python sees them.

mod convert;

use alula_server::config::{
    Config, ConfigError, Gathered, Invocation, Layer, OPTIONS, Spec, Value, cli, gather, markdown,
};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyList, PyMapping, PyString, PyTuple};

/// Adds the classes of this module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<PyConfig>()?;
    let class = module.py().get_type::<PyConfig>();
    OPTIONS
        .iter()
        .try_for_each(|spec| class.setattr(spec.name(), property(module.py(), spec)?))
}

/// The property of the class that reads an option.
fn property<'py>(py: Python<'py>, spec: &'static Spec) -> PyResult<Bound<'py, PyAny>> {
    let read = |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
        let config = arguments.get_item(0)?;
        config
            .cast::<PyConfig>()?
            .get()
            .value(arguments.py(), spec)
            .map(Bound::unbind)
    };
    let getter = PyCFunction::new_closure(py, None, None, read)?;
    let options = PyDict::new(py);
    options.set_item("doc", spec.help())?;
    py.import("builtins")?
        .getattr("property")?
        .call((getter,), Some(&options))
}

/// How logging is to be configured, where it is not by the path of a file.
enum Logging {
    /// As uvicorn does when nobody says otherwise.
    Standard,
    /// Not at all.
    Untouched,
    /// From this dictionary, parser or open file.
    Given(Py<PyAny>),
}

/// Every option of a server, checked; cannot be changed.
#[pyclass(frozen, name = "Config", module = "alula")]
pub(crate) struct PyConfig {
    config: Config,
    /// The application, where it is an object and not the path of one.
    app: Option<Py<PyAny>>,
    logging: Logging,
    /// What the env file adds to the environment.
    variables: Vec<(String, String)>,
    /// Variables that look like options and are none.
    unknown: Vec<String>,
}

impl PyConfig {
    /// The options.
    pub(crate) fn inner(&self) -> &Config {
        &self.config
    }

    fn new(gathered: Gathered, app: Option<Py<PyAny>>, logging: Logging) -> Self {
        let Gathered {
            config,
            variables,
            unknown,
        } = gathered;
        Self {
            config,
            app,
            logging,
            variables,
            unknown,
        }
    }

    fn app<'py>(&self, py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
        match &self.app {
            Some(app) => Ok(app.bind(py).clone()),
            None => convert::to_python(py, value),
        }
    }

    fn log_config<'py>(&self, py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
        match (&self.logging, value) {
            (Logging::Standard, Value::None) => {
                py.import("alula.logging")?.getattr("LOGGING_CONFIG")
            }
            (Logging::Standard, path) => convert::to_python(py, path),
            (Logging::Untouched, _) => Ok(py.None().into_bound(py)),
            (Logging::Given(given), _) => Ok(given.bind(py).clone()),
        }
    }

    fn value<'py>(&self, py: Python<'py>, spec: &Spec) -> PyResult<Bound<'py, PyAny>> {
        let value = self.config.value(spec);
        match spec.name() {
            "app" => self.app(py, value),
            "log_config" => self.log_config(py, value),
            _ => convert::to_python(py, value),
        }
    }
}

#[pymethods]
impl PyConfig {
    #[new]
    #[pyo3(signature = (app = None, **options))]
    fn from_keywords(
        py: Python<'_>,
        app: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut layer = Layer::default();
        let mut logging = Logging::Standard;
        let mut object = None;
        match app {
            Some(app) if app.is_instance_of::<PyString>() => {
                convert::set(&mut layer, "app", app)?;
            }
            Some(app) => object = Some(app.clone().unbind()),
            None => {}
        }
        for (key, value) in options.into_iter().flatten() {
            let key: String = key.extract()?;
            match key.as_str() {
                "log_config" if value.is_none() => logging = Logging::Untouched,
                "log_config" if !convert::is_path(&value)? => {
                    logging = Logging::Given(value.unbind());
                }
                _ if value.is_none() => {}
                _ => convert::set(&mut layer, &key, &value)?,
            }
        }
        let environ = py.import("os")?.getattr("environ")?;
        let variables = convert::environment(environ.cast()?)?;
        let gathered =
            gather::keywords(layer, &variables).map_err(|error| convert::raise(py, &error))?;
        Ok(Self::new(gathered, object, logging))
    }

    /// The configuration that a command line (without the program's name) and an environment ask
    /// for, or the text to print instead: help, or `version`.
    #[staticmethod]
    fn from_cli(
        py: Python<'_>,
        argv: Vec<String>,
        environ: &Bound<'_, PyMapping>,
        version: &str,
    ) -> PyResult<Py<PyAny>> {
        let fail = |error: ConfigError| convert::raise(py, &error);
        let layer = match cli::parse(argv).map_err(fail)? {
            Invocation::Serve(layer) => layer,
            Invocation::Help(text) => return Ok(PyString::new(py, &text).into_any().unbind()),
            Invocation::Version => return Ok(PyString::new(py, version).into_any().unbind()),
        };
        let variables = convert::environment(environ)?;
        let gathered = gather::command_line(layer, &variables).map_err(fail)?;
        Ok(Py::new(py, Self::new(gathered, None, Logging::Standard))?.into_any())
    }

    /// Every option as a dictionary: `name`, `flags`, `variable`, `type`, `default`, `help`,
    /// `group`.
    #[staticmethod]
    fn options(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let rows = OPTIONS
            .iter()
            .map(|spec| describe(py, spec))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, rows)
    }

    /// Every option with its value; `Config(**config.to_dict())` is the same configuration.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        for spec in OPTIONS {
            let standard = matches!(self.logging, Logging::Standard);
            let own = spec.name() != "log_config" || !standard || self.config.log_config.is_some();
            if own {
                options.set_item(spec.name(), self.value(py, spec)?)?;
            }
        }
        Ok(options)
    }

    /// The variables that the env file adds to the environment.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let variables = PyDict::new(py);
        for (name, value) in &self.variables {
            variables.set_item(name, value)?;
        }
        Ok(variables)
    }

    /// The variables of the environment that look like options and are none.
    #[getter]
    fn unknown_variables(&self) -> Vec<String> {
        self.unknown.clone()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut set = Vec::new();
        for (spec, value) in OPTIONS.iter().zip(self.config.values()) {
            if value.to_string() != spec.preset.value().to_string() {
                let shown = convert::to_python(py, value)?.repr()?;
                set.push(format!("{}={shown}", spec.name()));
            }
        }
        Ok(format!("Config({})", set.join(", ")))
    }
}

/// One option for documentation and tests.
fn describe<'py>(py: Python<'py>, spec: &Spec) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", spec.name())?;
    row.set_item("flags", spec.forms())?;
    row.set_item("variable", spec.variable())?;
    row.set_item("type", markdown::python_type(spec))?;
    row.set_item("default", convert::to_python(py, spec.preset.value())?)?;
    row.set_item("help", spec.help())?;
    row.set_item("group", spec.group.title())?;
    Ok(row)
}
