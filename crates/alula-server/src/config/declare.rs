//! The macro behind the table: one entry becomes a field of `Config` and a line of `OPTIONS`.

/// Declares the options.
///
/// ```text
/// Group {
///     /// Help text.
///     python_name: Type, "command-line-name", kind, preset;
/// }
/// ```
macro_rules! options {
    ($($group:ident {$(
        $(#[doc = $text:literal])+
        $field:ident: $type:ty, $flag:literal, $kind:expr, $preset:expr;
    )+})+) => {
        /// Every option with its value, checked.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Config {
            $($(
                $(#[doc = $text])+
                pub $field: $type,
            )+)+
        }

        /// Every option, in the order in which help and documentation show them.
        pub static OPTIONS: &[Spec] = &[$($(
            Spec {
                field: stringify!($field),
                flag: $flag,
                off: concat!("no-", $flag),
                kind: $kind,
                preset: $preset,
                group: Group::$group,
                text: concat!($($text),+),
            },
        )+)+];

        impl Config {
            /// Builds the struct from one accepted value an option, in the order of [`OPTIONS`].
            ///
            /// # Panics
            ///
            /// When a declaration's kind and type disagree, which a test of the table rules out.
            pub(super) fn read(values: Vec<Value>) -> Self {
                let mut values = values.into_iter();
                Self {
                    $($(
                        $field: values
                            .next()
                            .and_then(Field::read)
                            .expect(concat!("the kind and type of ", stringify!($field), " agree")),
                    )+)+
                }
            }

            /// The value of an option.
            pub fn value(&self, spec: &Spec) -> Value {
                match spec.field {
                    $($(stringify!($field) => self.$field.write(),)+)+
                    _ => Value::None,
                }
            }

            /// Every option's value, in the order of [`OPTIONS`].
            pub fn values(&self) -> Vec<Value> {
                vec![$($(self.$field.write(),)+)+]
            }
        }
    };
}

pub(super) use options;
