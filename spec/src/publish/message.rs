//! The chain's legacy transaction message (document 3, "The transaction message").
//!
//! Layout: three header bytes, shortvec of 32-byte accounts, 32-byte blockhash, shortvec of instructions, each a
//! program index, a shortvec of account indices and a shortvec of data.

use crate::publish::mistakes::message::LEGACY;
use crate::{Refused, Rules};

/// A decoded message. Indices are not resolved here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Required signatures, read-only signers, read-only accounts that do not sign.
    pub header: [u8; 3],
    /// Account addresses.
    pub accounts: Vec<[u8; 32]>,
    /// The recent blockhash.
    pub blockhash: [u8; 32],
    /// Instructions.
    pub instructions: Vec<Instruction>,
}

/// One instruction; `program` and `accounts` are indices into the message's accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Index of the program.
    pub program: u8,
    /// Indices of the accounts passed to it.
    pub accounts: Vec<u8>,
    /// Its data.
    pub data: Vec<u8>,
}

impl Message {
    /// The message that carries `record`: fee payer, client and memo program, one memo instruction.
    pub fn publishing(
        fee_payer: [u8; 32],
        client: [u8; 32],
        memo_program: [u8; 32],
        blockhash: [u8; 32],
        record: Vec<u8>,
    ) -> Message {
        Message {
            header: [2, 1, 1],
            accounts: vec![fee_payer, client, memo_program],
            blockhash,
            instructions: vec![Instruction { program: 2, accounts: vec![1], data: record }],
        }
    }

    /// The message's bytes.
    ///
    /// # Panics
    /// If a list has more than 65535 entries: such a list has no encoding.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = self.header.to_vec();
        push_length(&mut out, self.accounts.len());
        self.accounts.iter().for_each(|account| out.extend_from_slice(account));
        out.extend_from_slice(&self.blockhash);
        push_length(&mut out, self.instructions.len());
        for instruction in &self.instructions {
            out.push(instruction.program);
            push_length(&mut out, instruction.accounts.len());
            out.extend_from_slice(&instruction.accounts);
            push_length(&mut out, instruction.data.len());
            out.extend_from_slice(&instruction.data);
        }
        out
    }

    /// Decodes a message that encodes back to the same bytes: legacy, shortest lengths, nothing left over.
    pub fn decode(bytes: &[u8], rules: &mut dyn Rules) -> Result<Message, Refused> {
        rules.read(&LEGACY, bytes, read)
    }
}

/// Reads a message strictly.
pub(super) fn read(bytes: &[u8]) -> Result<Message, String> {
    let mut reader = Reader { rest: bytes };
    let message = reader.message().ok_or_else(|| "not a legacy message".to_owned())?;
    if reader.rest.is_empty() && message.encode() == bytes {
        Ok(message)
    } else {
        let left = reader.rest.len();
        Err(format!("{left} bytes left over, or a length not in shortest encoding"))
    }
}

/// Appends `length` as a shortvec: seven bits per byte, low bits first.
pub fn push_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = u16::try_from(length).expect("a list in a message has at most 65535 entries");
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn message(&mut self) -> Option<Message> {
        // A first byte of 0x80 or more marks a versioned message.
        if self.rest.first().is_some_and(|first| *first >= 0x80) {
            return None;
        }
        let header: [u8; 3] = self.array()?;
        let accounts = self.length()?;
        let accounts = (0..accounts).map(|_| self.array()).collect::<Option<_>>()?;
        let blockhash = self.array()?;
        let instructions = self.length()?;
        let instructions = (0..instructions).map(|_| self.instruction()).collect::<Option<_>>()?;
        Some(Message { header, accounts, blockhash, instructions })
    }

    fn instruction(&mut self) -> Option<Instruction> {
        let [program] = self.array()?;
        let accounts = self.list()?;
        let data = self.list()?;
        Some(Instruction { program, accounts, data })
    }

    fn list(&mut self) -> Option<Vec<u8>> {
        let length = self.length()?;
        self.bytes(length).map(<[u8]>::to_vec)
    }

    /// A shortvec length of up to three bytes. `None` for longer forms and values above 65535.
    fn length(&mut self) -> Option<usize> {
        let mut value = 0usize;
        for n in 0..3 {
            let [byte] = self.array()?;
            value |= usize::from(byte & 0x7f) << (7 * n);
            if byte & 0x80 == 0 {
                return u16::try_from(value).is_ok().then_some(value);
            }
        }
        None
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Strict, Without};

    #[test]
    fn lengths_at_every_step() {
        for (length, bytes) in [
            (0, vec![0]),
            (0x7f, vec![0x7f]),
            (0x80, vec![0x80, 1]),
            (0x3fff, vec![0xff, 0x7f]),
            (0x4000, vec![0x80, 0x80, 1]),
            (0xffff, vec![0xff, 0xff, 3]),
        ] {
            let mut out = Vec::new();
            push_length(&mut out, length);
            assert_eq!(out, bytes);
            assert_eq!(Reader { rest: &out }.length(), Some(length));
        }
        for bytes in [&[0xff, 0xff, 4][..], &[0x80, 0x80, 0x80, 1], &[0x80]] {
            assert_eq!(Reader { rest: bytes }.length(), None);
        }
    }

    #[test]
    fn aliases_and_leftover_bytes_are_rejected() {
        let good = Message::publishing([1; 32], [2; 32], [3; 32], [4; 32], b"x".to_vec()).encode();
        assert!(Message::decode(&good, &mut Strict).is_ok());
        let mut longer = good.clone();
        longer.push(0);
        let mut alias = good.clone();
        alias.splice(3..4, [0x83, 0]);
        let mut versioned = good.clone();
        versioned.insert(0, 0x80);
        for bad in [&longer[..], &alias, &versioned, &good[..good.len() - 1], &[]] {
            assert!(Message::decode(bad, &mut Strict).is_err());
            assert!(Message::decode(bad, &mut Without(&LEGACY)).is_ok());
        }
    }

    fn any_message() -> impl Strategy<Value = Message> {
        let instruction = (
            any::<u8>(),
            prop::collection::vec(any::<u8>(), 0..5),
            prop::collection::vec(any::<u8>(), 0..300),
        )
            .prop_map(|(program, accounts, data)| Instruction { program, accounts, data });
        (
            (0u8..0x80, any::<u8>(), any::<u8>()),
            prop::collection::vec(any::<[u8; 32]>(), 0..6),
            any::<[u8; 32]>(),
            prop::collection::vec(instruction, 0..4),
        )
            .prop_map(|((a, b, c), accounts, blockhash, instructions)| Message {
                header: [a, b, c],
                accounts,
                blockhash,
                instructions,
            })
    }

    proptest! {
        #[test]
        fn messages_round_trip(message in any_message()) {
            prop_assert_eq!(Message::decode(&message.encode(), &mut Strict), Ok(message));
        }

        #[test]
        fn decoded_bytes_encode_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Message::decode(&bytes, &mut Without(&LEGACY)).is_ok());
            if let Ok(message) = Message::decode(&bytes, &mut Strict) {
                prop_assert_eq!(message.encode(), bytes);
            }
        }
    }
}
